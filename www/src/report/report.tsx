import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Choices } from "../controls/choices.tsx";
import { changeOf, NAMES_MISSING } from "../page/audit-words.ts";
import { counted, formatted, money, percent } from "../page/numbers.ts";
import { PlotFigure } from "../plots/figure.tsx";
import { short } from "../plots/plot.ts";
import { type Billed, inputOf, type Plots, type Report, type Session } from "./data.ts";
import { costsPlot, fillsPlot, labelOf, requestsPlot } from "./plots.ts";

const dates = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const times = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** The audit of one session, or of many with the plots of the most expensive ones. */
export function ReportPage({ report }: { readonly report: Report }) {
  const { sessions } = report;
  const plotted = useMemo(() => sessions.filter(({ plots }) => plots !== undefined), [sessions]);
  const [shown, setShown] = useState(plotted[0]);
  const isOne = sessions.length === 1;
  return (
    <>
      <header>
        <h1>{isOne && shown !== undefined ? titleOf(shown) : `What ${counted(sessions.length, "session")} cost`}</h1>
        <p class="soft">
          Made by <code>turnfold audit</code> {report.version} on {times.format(report.made)}. This page is one file,
          and sends nothing.
        </p>
      </header>
      <main>
        <Facts report={report} />
        {!isOne && <All report={report} shown={shown} onShow={setShown} />}
        {shown?.plots !== undefined && <OneSession session={shown} plots={shown.plots} isOne={isOne} />}
        <Problems report={report} />
      </main>
    </>
  );
}

const titleOf = ({ title, file }: Session): string => title ?? fileOf(file);
const fileOf = (path: string): string => path.replace(/^.*[\\/]/, "");

/** A cost in the unit of the report. */
const costOf = (cost: number, unit: Report["unit"]): string => (unit === "dollars" ? money(cost) : short(cost));

function Facts({ report }: { readonly report: Report }) {
  const { billed, sessions, unit, cost, saved } = report;
  const input = inputOf(billed);
  const sources = new Set(sessions.map(({ source }) => source));
  const how =
    sources.size > 1 || sources.has("mixed") ? "partly estimated" : sources.has("recorded") ? "billed" : "estimated";
  return (
    <dl class="facts">
      <Fact name={how}>{billed.dollars === null ? "no price known" : money(billed.dollars)}</Fact>
      <Fact name="could be saved">{saved === 0 ? "nothing" : `${costOf(saved, unit)} (${percent(saved, cost)})`}</Fact>
      <Fact name="requests">{formatted(billed.requests)}</Fact>
      <Fact name="tokens of input">{short(input)}</Fact>
      <Fact name="read from the cache">{percent(billed.read, input)}</Fact>
      <Fact name="tokens of output">{short(billed.output)}</Fact>
    </dl>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

interface TableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  /** How many of the first columns are texts. Default: 1. */
  readonly texts?: number;
  readonly rows: readonly (readonly ComponentChildren[])[];
}

const Table = ({ caption, columns, texts = 1, rows }: TableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keys
  <section class="table" tabIndex={0} aria-label={caption}>
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map((name, index) => (
            <th key={name} scope="col" data-number={index < texts ? undefined : true}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([head, ...cells], row) => (
          <tr key={row}>
            <th scope="row">{head}</th>
            {cells.map((cell, index) => (
              <td key={index} data-number={index + 1 < texts ? undefined : true}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

interface AllProps {
  readonly report: Report;
  readonly shown: Session | undefined;
  readonly onShow: (session: Session) => void;
}

/** What all sessions cost together, and the list of them. */
function All({ report, shown, onShow }: AllProps) {
  const { unit, models, byTool, strategies, tools, paths, billed, sessions } = report;
  const fills = useMemo(() => fillsPlot(tools, paths, inputOf(billed)), [report]);
  return (
    <>
      <Table
        caption="By model"
        columns={["Model", ...BILL_COLUMNS]}
        rows={models.map((row) => [row.model ?? "not recorded", ...billCells(row)])}
      />
      <Table
        caption="By program"
        columns={["Program", "Sessions", ...BILL_COLUMNS, "Could be saved"]}
        rows={byTool.map((row) => [row.tool, formatted(row.sessions), ...billCells(row), costOf(row.saved, unit)])}
      />
      <Strategies
        strategies={strategies}
        unit={unit}
        caption={`If ${report.compared === sessions.length ? "all sessions" : `the ${counted(report.compared, "session")} whose price is known`} had used the same options`}
      />
      {fills !== null && <PlotFigure name="fills" plot={fills} />}
      <Sessions sessions={sessions} shown={shown} onShow={onShow} />
    </>
  );
}

const BILL_COLUMNS = ["Requests", "Input", "From the cache", "Output", "Cost"];

const billCells = (bill: Billed): readonly string[] => [
  formatted(bill.requests),
  short(inputOf(bill)),
  percent(bill.read, inputOf(bill)),
  short(bill.output),
  bill.dollars === null ? "no price known" : money(bill.dollars),
];

interface StrategiesProps {
  readonly strategies: Report["strategies"];
  readonly unit: Report["unit"];
  readonly caption: string;
  readonly recommended?: string | null;
}

const Strategies = ({ strategies, unit, caption, recommended = null }: StrategiesProps) => (
  <>
    <Table
      caption={caption}
      columns={["Options", "Cost", "Change", "Names missing"]}
      rows={strategies.map(({ code, cost, share, names, hasSummaries }) => [
        <>
          <code>{labelOf(code)}</code> {code === recommended && <b class="good">recommended</b>}
        </>,
        costOf(cost, unit),
        code === "none" ? "" : changeOf(share),
        names.of === 0 ? "–" : `${hasSummaries ? "≤ " : ""}${formatted(names.missing)} of ${formatted(names.of)}`,
      ])}
    />
    {strategies.some(({ names }) => names.of > 0) && <p class="soft">{NAMES_MISSING}</p>}
  </>
);

const STEP = 50;

function Sessions({ sessions, shown, onShow }: { readonly sessions: readonly Session[] } & Omit<AllProps, "report">) {
  const [query, setQuery] = useState("");
  const [max, setMax] = useState(STEP);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = sessions.filter((session) => {
    const text = [titleOf(session), session.file, session.tool, modelsOf(session)].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <section class="sessions" aria-label="Sessions">
      <input
        type="search"
        class="input"
        aria-label="Search sessions"
        placeholder="Words of the question, the file, the program or the model"
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
      />
      <Table
        caption={`${counted(found.length, "session")}, the most expensive first`}
        texts={3}
        columns={["Session", "Program", "Model", "Last request", "Requests", "Cost", "Could be saved"]}
        rows={found.slice(0, max).map((session) => [
          session.plots === undefined ? (
            titleOf(session)
          ) : (
            <button
              type="button"
              class="link"
              aria-current={session === shown || undefined}
              onClick={() => {
                onShow(session);
                document.getElementById("session")?.scrollIntoView();
              }}
            >
              {titleOf(session)}
            </button>
          ),
          session.tool,
          modelsOf(session),
          session.last === null ? "" : dates.format(session.last),
          formatted(session.billed.requests),
          session.billed.dollars === null ? "no price known" : money(session.billed.dollars),
          session.saved === 0 ? "" : `${costOf(session.saved, session.unit)} (${percent(session.saved, session.cost)})`,
        ])}
      />
      {found.length > max && (
        <button type="button" class="button" onClick={() => setMax(max + STEP)}>
          Show {formatted(Math.min(STEP, found.length - max))} more
        </button>
      )}
    </section>
  );
}

const modelsOf = ({ models }: Session): string => models.map(({ model }) => model ?? "not recorded").join(", ");

/** The requests of a session, their costs, and what fills them. */
function OneSession({
  session,
  plots,
  isOne,
}: {
  readonly session: Session;
  readonly plots: Plots;
  readonly isOne: boolean;
}) {
  const [division, setDivision] = useState<"parts" | "bill">("parts");
  const { unit, cost, recommendation, strategies, tools, files, billed, saved } = session;
  const requests = useMemo(() => requestsPlot(plots, division === "bill"), [plots, division]);
  const costs = useMemo(() => costsPlot(plots, unit === "dollars", recommendation.code), [session]);
  const fills = useMemo(() => fillsPlot(tools, files, inputOf(billed)), [session]);
  const { losses, arrival, assumptions } = plots;
  return (
    <section id="session" aria-label={titleOf(session)}>
      {!isOne && <h2>{titleOf(session)}</h2>}
      <p class="soft path">
        {session.tool} · {modelsOf(session)} · {session.file}
        {session.first !== null && ` · ${times.format(session.first)}`}
      </p>
      <p class="recommendation">
        Recommended: {recommendation.code === null ? <b>change nothing</b> : <code>{recommendation.code}</code>},
        because {recommendation.reason}
        {saved > 0 && unit === "dollars" ? `: ${money(saved)}` : ""}.
      </p>
      <PlotFigure name="requests" plot={requests}>
        <Choices
          name="division"
          legend="Divide each request"
          options={[
            { name: "parts", label: "by what it is" },
            { name: "bill", label: "by the cache" },
          ]}
          value={division}
          onChange={setDivision}
        />
      </PlotFigure>
      {costs !== null && <PlotFigure name="costs" plot={costs} />}
      <Strategies
        strategies={strategies.map((row) => ({ ...row, share: cost === 0 ? 1 : row.cost / cost }))}
        unit={unit}
        caption="The same requests with a strategy"
        recommended={recommendation.code}
      />
      {fills !== null && <PlotFigure name="fills" plot={fills} />}
      {arrival.length > 0 && (
        <Table
          caption={'What results could arrive shorter by, without losing anything: arrival: "lossless"'}
          columns={["Kind", "Results", "Tokens", "In all requests", "Saved"]}
          rows={arrival.map(({ kind, results, tokens, sent, cost: less }) => [
            kind,
            formatted(results),
            formatted(Math.round(tokens)),
            formatted(Math.round(sent)),
            costOf(less, unit),
          ])}
        />
      )}
      {losses !== null && (
        <Table
          caption={`The most expensive losses of ${labelOf(losses.code)}`}
          columns={["Names", "Lacked by request", "In message", "Tokens"]}
          rows={losses.list.map(({ request, names, messages, tokens }) => [
            names.join(", "),
            formatted(request + 1),
            messages.map((message) => message + 1).join(", "),
            formatted(tokens),
          ])}
        />
      )}
      {assumptions.length > 0 && (
        <ul class="soft assumptions">
          {assumptions.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Files that are not counted. */
const Problems = ({ report: { problems, copies } }: { readonly report: Report }) => (
  <footer class="soft">
    {copies > 0 && <p>{counted(copies, "file")} had only requests that other files have too.</p>}
    {problems.length > 0 && (
      <details>
        <summary>{counted(problems.length, "file")} could not be read</summary>
        <ul>
          {problems.map(({ file, problem }) => (
            <li key={file}>
              {file}: {problem}
            </li>
          ))}
        </ul>
      </details>
    )}
  </footer>
);
