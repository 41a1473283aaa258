import "../../style/tokens.css";
import type { TokenView } from "../../tokens/settings.ts";
import { CacheView } from "./cache.tsx";
import { PriceView } from "./price.tsx";
import { SectionsView } from "./sections.tsx";
import type { ViewProps } from "./views.tsx";
import { WindowView } from "./window.tsx";

/** The open token view. Its code is loaded on first use. */
export function View({ view, ...props }: ViewProps & { readonly view: TokenView }) {
  switch (view) {
    case "sections":
      return <SectionsView {...props} />;
    case "window":
      return <WindowView {...props} />;
    case "price":
      return <PriceView {...props} />;
    case "cache":
      return <CacheView {...props} />;
    default:
      return null;
  }
}
