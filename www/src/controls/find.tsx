import { Deferred } from "./deferred.tsx";
import type { FindInListProps } from "./find-in-list.tsx";
import { MAX_ROWS } from "./virtual-list.tsx";

/** The search in a virtual list. Renders nothing for a list that renders all its rows. */
export const Find = <T,>(props: FindInListProps<T>) =>
  props.items.length <= MAX_ROWS ? null : <Deferred load={load<T>} what="The search" props={props} />;

const load = async <T,>() => (await import("./find-in-list.tsx")).FindInList<T>;
