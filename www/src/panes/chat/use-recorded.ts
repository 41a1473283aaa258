import { useEffect, useMemo, useState } from "preact/hooks";
import type { Audit } from "turnfold/audit";
import { settingsOf } from "../../chat/parameters.ts";
import { amounts, parameters } from "../../chat/plan.ts";
import { chat } from "../../chat/store.ts";
import { audited, startAudit } from "../../import/audited.ts";
import { codeOf, rowOf, withoutPrices } from "../../import/recorded.ts";
import { messageOf } from "../../page/problem.ts";
import { loads } from "../../states/store.ts";
import type { CostRow } from "../../tokens/cost-rows.ts";
import type { Costs } from "../tokens/use-costs.ts";

/** The rows of an audit for the settings of the page. */
export interface Recorded {
  readonly audit: Audit;
  /** What was, and what would have been with the settings; undefined while it is computed. */
  readonly plain: CostRow | undefined;
  readonly folded: CostRow | undefined;
  /** The row of the settings in `costs`. */
  readonly chosen: string;
  readonly costs: Costs;
}

/** The name of the row of settings that no strategy of the audit has. */
export const CHOSEN = "these settings";

const PAUSE_MS = 300;

interface Own {
  /** The audit and the parameters of which it is. */
  readonly of: Audit;
  readonly text: string;
  readonly row: CostRow | null;
  readonly problem: string | null;
}

/** The numbers of the audit; null where they are estimates, with the reason if there is an audit. */
export function useRecorded(): { readonly recorded: Recorded | null; readonly isNotAudited: string | null } {
  const now = audited.value;
  const { messages, shape, strategy } = chat.value;
  const isOpened = now?.loads === loads.value && now.opened.messages === messages && now.opened.shape === shape;
  const audit = isOpened && strategy !== "custom" ? now.audit : null;
  const { given, problems } = parameters.value;
  const text = JSON.stringify(withoutPrices(given));
  const [own, setOwn] = useState<Own | null>(null);
  const rows = useMemo(() => audit?.strategies.map((each) => rowOf(audit, each)) ?? [], [audit]);
  const code = useMemo(
    () => (audit === null ? null : codeOf(settingsOf(chat.value), audit, amounts.value)),
    [audit, text],
  );
  const isOwn = audit !== null && code === null && problems.size === 0;
  useEffect(() => {
    if (!isOwn || now === null) return;
    let stop = (): void => {};
    const timer = setTimeout(() => {
      const { recording, prices } = now;
      const running = startAudit({ recording, prices, strategy: [CHOSEN, withoutPrices(given)] });
      stop = running.stop;
      running.result.then(
        (result) => {
          const found = result.strategies.find((each) => each.code === CHOSEN);
          setOwn({ of: audit, text, row: found === undefined ? null : rowOf(result, found), problem: null });
        },
        (error: unknown) => setOwn({ of: audit, text, row: null, problem: messageOf(error) }),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [audit, isOwn, text]);
  if (audit === null) {
    const isWaiting = isOpened && strategy !== "custom" && now.problem === null;
    return { recorded: null, isNotAudited: now === null || isWaiting ? null : ESTIMATED };
  }
  const isKnown = own?.of === audit && own.text === text;
  const chosen = code ?? CHOSEN;
  const folded = code === null ? (isKnown && own.row) || undefined : rows.find(({ name }) => name === code);
  return {
    recorded: {
      audit,
      plain: rows[0],
      folded,
      chosen,
      costs: {
        rows: new Map(
          [...rows, ...(code === null && folded !== undefined ? [folded] : [])].map((row) => [row.name, row]),
        ),
        stale: isOwn && !isKnown,
        failed: isKnown && isOwn ? own.problem : null,
      },
    },
    isNotAudited: null,
  };
}

const ESTIMATED =
  "This is an estimate of this chat alone, by the rules of the cache: it is not the recording as it was opened.";
