import type { ComponentChildren } from "preact";

interface RunPartProps {
  readonly name: ComponentChildren;
  /** The level of the name in the outline of the page. */
  readonly heading?: "h3" | "h4";
  readonly children: ComponentChildren;
  readonly [data: `data-${string}`]: string | number;
}

/** A part of a result, with its name beside it. */
export const RunPart = ({ name, heading: Heading = "h4", children, ...data }: RunPartProps) => (
  <div {...data} class="run-part">
    <Heading>{name}</Heading>
    <div class="run-part-body">{children}</div>
  </div>
);
