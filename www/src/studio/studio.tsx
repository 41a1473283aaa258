import "./studio.css";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { FirstRows } from "../controls/first-rows.tsx";
import { focusSoon } from "../page/focus.ts";
import { counted, formatted, money, percent } from "../page/numbers.ts";
import { failure, follow, type Session, sessions } from "./client.ts";
import { BACK, followFile, isListShown, open, openSession, showChat } from "./follow.ts";

/** The sessions of this machine, or a line with the open one. */
export function Studio() {
  useEffect(() => {
    followFile();
    void follow(null);
  }, []);
  useEffect(() => document.documentElement.toggleAttribute("data-sessions", isListShown.value) as unknown as undefined);
  return (
    <>
      {failure.value !== null && (
        <p class="studio-failure" role="alert">
          The sessions can’t be read: {failure.value}
        </p>
      )}
      {isListShown.value ? <Sessions /> : <OpenSession />}
    </>
  );
}

const SEARCH = "studio-search";

/** Changes that are younger than this are live. */
const LIVE_MS = 60_000;

const isLive = ({ modified }: Session): boolean => Date.now() - modified < LIVE_MS;

function OpenSession() {
  const now = open.value;
  const session = sessions.value?.find(({ id }) => id === now?.id);
  return (
    <section class="studio-open" aria-label="The open session">
      <button
        type="button"
        class="button"
        id={BACK}
        onClick={() => {
          isListShown.value = true;
          focusSoon(SEARCH);
        }}
      >
        Sessions
      </button>
      {session !== undefined && now !== null && (
        <>
          <strong class="studio-title">{titleOf(session)}</strong>
          <span class="field-hint">{factsOf(session).join(" · ")}</span>
          {now.chats.length > 1 && (
            <select
              class="input"
              aria-label="Part of the session"
              value={now.shown}
              onChange={({ currentTarget }) => void showChat(Number(currentTarget.value))}
            >
              {now.chats.map((chat, index) => (
                <option key={index} value={index}>
                  {chat.isAgent === true ? "agent" : "part"} {index + 1} of {now.chats.length}
                </option>
              ))}
            </select>
          )}
          <span role="status">
            {!now.isFollowed ? (
              <>
                You have changed it, so it does not follow the session.{" "}
                <button type="button" class="link" onClick={() => void openSession(session)}>
                  Open it again
                </button>
              </>
            ) : isLive(session) ? (
              "Live"
            ) : (
              ""
            )}
          </span>
        </>
      )}
    </section>
  );
}

const ORDERS = {
  newest: { label: "Newest", of: ({ modified }: Session) => modified },
  cost: { label: "Most expensive", of: ({ dollars }: Session) => dollars ?? -1 },
  saved: { label: "Most to save", of: ({ saved }: Session) => saved?.dollars ?? -1 },
  requests: { label: "Most requests", of: ({ requests }: Session) => requests ?? -1 },
} as const;

function Sessions() {
  const query = useSignal("");
  const tool = useSignal("");
  const order = useSignal<keyof typeof ORDERS>("newest");
  const all = sessions.value;
  if (all === null) return failure.value === null ? <p class="studio-list">Looking for sessions …</p> : null;
  const tools = [...new Set(all.map(toolOf))].sort();
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  const { of } = ORDERS[order.value];
  const found = all
    .filter((session) => tool.value === "" || toolOf(session) === tool.value)
    .filter((session) => words.every((word) => searched(session).includes(word)))
    .toSorted((one, other) => of(other) - of(one));
  return (
    <main class="studio-list" aria-labelledby="studio-title">
      <div class="studio-head">
        <h2 id="studio-title">Sessions of this machine</h2>
        <button
          type="button"
          class="button"
          onClick={() => {
            isListShown.value = false;
            focusSoon(BACK);
          }}
        >
          {open.value === null ? "Playground" : "Back to the session"}
        </button>
      </div>
      <div class="studio-search">
        <input
          type="search"
          id={SEARCH}
          class="input"
          aria-label="Search sessions"
          placeholder="Words of the question, the tool, the model or the folder"
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value;
          }}
        />
        <select
          class="input"
          aria-label="Tool"
          value={tool.value}
          onChange={(event) => {
            tool.value = event.currentTarget.value;
          }}
        >
          <option value="">All tools</option>
          {tools.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <select
          class="input"
          aria-label="Order"
          value={order.value}
          onChange={(event) => {
            order.value = event.currentTarget.value as keyof typeof ORDERS;
          }}
        >
          {Object.entries(ORDERS).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <p role="status" class="field-hint">
        {found.length > 0
          ? summaryOf(found)
          : all.length > 0
            ? "No session is found by that."
            : "No session is found yet."}
      </p>
      {all.length === 0 && (
        <p>
          The folders of the coding agents of this machine are searched, or those that <code>--folder</code> names: the{" "}
          <a href="./docs/recordings.html">programs that are read</a>. A new session appears here by itself. Recordings
          elsewhere can be opened with <strong>Open</strong> above.
        </p>
      )}
      <ul class="studio-sessions" aria-label="Sessions">
        <FirstRows key={`${tool.value} ${order.value} ${query.value}`} items={found} what="sessions" as="li">
          {(session) => <Row key={session.id} session={session} />}
        </FirstRows>
      </ul>
    </main>
  );
}

const Row = ({ session }: { readonly session: Session }) => (
  <li>
    <button
      type="button"
      class="studio-session"
      aria-current={session.id === open.value?.id || undefined}
      onClick={() => void openSession(session)}
    >
      <span class="studio-name">
        <strong>{titleOf(session)}</strong>
        <span class="field-hint">{[...factsOf(session), folderOf(session)].filter(Boolean).join(" · ")}</span>
      </span>
      <span class="studio-time">{isLive(session) ? <b class="studio-live">live</b> : timeOf(session)}</span>
      <span class="studio-cost">{costOf(session)}</span>
      <span class="studio-saved" data-saves={session.saved ? true : undefined} title={session.saved?.code}>
        {savedOf(session)}
      </span>
    </button>
  </li>
);

const days = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const times = new Intl.DateTimeFormat("en", { timeStyle: "short" });

/** The time of a change today, the day of an earlier one. */
const timeOf = ({ modified }: Session): string =>
  (days.format(modified) === days.format(Date.now()) ? times : days).format(modified);

const toolOf = ({ tool }: Session): string => tool ?? "not read yet";
const titleOf = ({ title, file }: Session): string => title ?? file;
const folderOf = ({ name }: Session): string => name.replace(/[\\/]?[^\\/]*$/, "");
const searched = (session: Session): string =>
  [titleOf(session), toolOf(session), session.name, ...(session.models ?? [])].join(" ").toLowerCase();

function factsOf(session: Session): readonly string[] {
  const { models = [], requests, bytes, problem } = session;
  if (problem !== undefined) return [toolOf(session), problem];
  return [
    toolOf(session),
    ...models,
    ...(requests === undefined ? [] : [counted(requests, "request")]),
    `${formatted(Math.ceil(bytes / 1000))} kB`,
  ];
}

function costOf({ dollars, isEstimate, requests }: Session): string {
  if (dollars === undefined || requests === 0) return "";
  return dollars === null ? "cost unknown" : `${isEstimate === true ? "about " : ""}${money(dollars)}`;
}

function savedOf({ saved, requests }: Session): string {
  if (requests === 0) return "";
  if (saved === undefined || saved === null) return saved === null ? "nothing to save" : "";
  const share = `−${Math.round(100 * saved.share)} %`;
  return saved.dollars === null ? share : `−${money(saved.dollars)} (${share})`;
}

function summaryOf(found: readonly Session[]): string {
  const sum = (of: (session: Session) => number | undefined): number =>
    found.reduce((total, session) => total + (of(session) ?? 0), 0);
  const billed = sum(({ dollars }) => dollars ?? 0);
  const isEstimate = found.some(({ dollars, isEstimate }) => isEstimate === true && (dollars ?? 0) > 0);
  const saved = sum((session) => session.saved?.dollars ?? 0);
  const left = found.filter(({ saved, problem }) => saved === undefined && problem === undefined).length;
  return [
    counted(found.length, "session"),
    ...(billed === 0 ? [] : [`${money(billed)} ${isEstimate ? "billed or estimated" : "billed"}`]),
    ...(saved === 0 ? [] : [`${money(saved)} (${percent(saved, billed)}) could be saved`]),
    ...(left === 0 ? [] : [`${formatted(left)} not computed yet`]),
  ].join(" · ");
}
