import { Deferred } from "./deferred.tsx";
import type { FindInListProps } from "./find-in-list.tsx";
import { MOST_ROWS } from "./virtual-list.tsx";

/** The search in a list of which only the rows near the screen are in the page; nothing for a shorter one. */
export const Find = <T,>(props: FindInListProps<T>) =>
  props.items.length <= MOST_ROWS ? null : <Deferred load={load<T>} what="The search" props={props} />;

const load = async <T,>() => (await import("./find-in-list.tsx")).FindInList<T>;
