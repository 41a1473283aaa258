import "../../style/token-views.css";
import type { TokenView } from "../../tokens/settings.ts";
import { CacheView } from "./cache.tsx";
import { PriceView } from "./price.tsx";
import { SectionsView } from "./sections.tsx";
import type { ViewProps } from "./views.tsx";
import { WindowView } from "./window.tsx";

/** The open token view. Its code is loaded on first use. */
export function View({ view, ...props }: ViewProps & { readonly view: TokenView }) {
  const { frame } = props;
  switch (view) {
    case "sections":
      return frame === null ? null : <SectionsView frame={frame} />;
    case "window":
      return <WindowView {...props} />;
    case "price":
      return <PriceView />;
    case "cache":
      return frame === null ? null : <CacheView frame={frame} />;
    default:
      return null;
  }
}
