import "./plots.css";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "../controls/icon.tsx";
import { memo } from "../page/reuse.ts";
import { clamped, type Drawing, type Plot } from "./plot.ts";

interface PlotFigureProps {
  /** The name of the plot on the page. */
  readonly name: string;
  readonly plot: Plot;
  /** The step that is chosen outside of the plot; otherwise the plot remembers it. */
  readonly step?: number;
  /** Called with the step of a click or a key. */
  readonly onStep?: ((step: number) => void) | undefined;
  /** Called with the step under the pointer of a mouse; with null when it leaves, and when a step is chosen. */
  readonly onHover?: ((step: number | null, area: HTMLElement) => void) | undefined;
  readonly isStale?: boolean | undefined;
  /** Controls above the drawing. */
  readonly children?: ComponentChildren;
}

/** How far a key moves, in steps. */
const KEYS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageDown: -10,
  PageUp: 10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** A plot with what it shows in words, the step under the pointer or chosen by keys, a table, and a button that saves an image. */
export function PlotFigure({ name, plot, step, onStep, onHover, isStale, children }: PlotFigureProps) {
  const area = useRef<HTMLDivElement>(null);
  const width = useWidth(area);
  const [hovered, setHovered] = useState<number | null>(null);
  const [own, setOwn] = useState<number | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const drawing = useMemo(() => (width === 0 ? null : plot.draw(width)), [plot, width]);
  const chosen = step ?? own;
  const shown = hovered ?? chosen;
  const told = shown === null ? null : clamped(shown, plot.steps);
  const hover = (next: number | null, isMouse = true): void => {
    if (next !== hovered && isMouse) onHover?.(next, area.current as HTMLDivElement);
    setHovered(next);
  };
  const choose = (next: number): void => {
    onHover?.(null, area.current as HTMLDivElement);
    setOwn(next);
    onStep?.(next);
  };
  const stepAt = (event: MouseEvent): number | null => {
    const { left, top } = (area.current as HTMLDivElement).getBoundingClientRect();
    return drawing?.stepAt(event.clientX - left, event.clientY - top) ?? null;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const vertical = plot.isVertical === true ? 1 : -1;
    const by =
      KEYS[event.key] ?? (event.key === "ArrowDown" ? vertical : event.key === "ArrowUp" ? -vertical : undefined);
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    choose(clamped((chosen ?? (by > 0 ? -1 : plot.steps)) + by, plot.steps));
  };
  return (
    <figure class="plot" data-plot={name} data-stale={isStale || undefined}>
      <div class="plot-head">
        <p class="plot-finding">{plot.finding}</p>
        {children}
      </div>
      <div
        ref={area}
        class="plot-area"
        role="slider"
        tabIndex={0}
        aria-label={`${plot.title}. ${plot.finding}`}
        aria-valuemin={1}
        aria-valuemax={plot.steps}
        aria-valuenow={(chosen === null ? 0 : clamped(chosen, plot.steps)) + 1}
        aria-valuetext={chosen === null ? `Arrow keys move by ${plot.unit}` : plot.words(clamped(chosen, plot.steps))}
        aria-orientation={plot.isVertical === true ? "vertical" : undefined}
        style={{ height: `${drawing?.height ?? 0}px` }}
        onKeyDown={onKeyDown}
        onPointerMove={(event) => hover(stepAt(event), event.pointerType === "mouse")}
        onPointerLeave={() => hover(null)}
        onClick={(event) => {
          const next = stepAt(event);
          if (next !== null) choose(next);
        }}
      >
        {drawing !== null && <Svg width={width} drawing={drawing} mark={told} />}
      </div>
      <figcaption>
        <span class="plot-told">{told === null ? (plot.hint ?? plot.words(plot.steps - 1)) : plot.words(told)}</span>
        <PlotTable plot={plot} />
        <button type="button" class="link" onClick={() => void save(plot, setProblem)}>
          <Icon name="down" />
          Save as PNG
        </button>
        {problem !== null && <span role="alert">{problem}</span>}
      </figcaption>
    </figure>
  );
}

interface SvgProps {
  readonly width: number;
  readonly drawing: Drawing;
  readonly mark: number | null;
}

const Svg = ({ width, drawing, mark }: SvgProps) => (
  <svg width={width} height={drawing.height} aria-hidden="true">
    <Content of={drawing.content} />
    {mark !== null && <Content of={drawing.mark(mark)} />}
  </svg>
);

/** SVG from `svg.ts`, which escapes all texts. */
const Content = memo(({ of }: { readonly of: string }) => <g dangerouslySetInnerHTML={{ __html: of }} />);

/** The width of an element, which follows its changes; 0 before it is known. */
function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = (): void => setWidth(Math.floor(current.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** The numbers of a plot, for those who do not see it. */
function PlotTable({ plot }: { readonly plot: Plot }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="plot-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys
        <section class="plot-rows" tabIndex={0} aria-label={`Table: ${plot.title}`}>
          <table>
            <thead>
              <tr>
                {plot.columns.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {Array.from({ length: plot.steps }, (_, step) => {
                const [head, ...cells] = plot.row(step);
                return (
                  <tr key={step}>
                    <th scope="row">{head}</th>
                    {cells.map((cell, index) => (
                      <td key={index}>{cell}</td>
                    ))}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}

async function save(plot: Plot, onProblem: (problem: string | null) => void): Promise<void> {
  try {
    const { savePng } = await import("./png.ts");
    await savePng(plot);
    onProblem(null);
  } catch (error) {
    onProblem(`The image could not be saved: ${error instanceof Error ? error.message : error}`);
  }
}
