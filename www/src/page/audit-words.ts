// The words of an audit, on the page and in the report.

import type { Audit } from "turnfold/audit";

/** The title of an audit. */
export const titleOf = ({ source }: Pick<Audit, "source">): string =>
  source === "estimated" ? "What it costs" : "What was billed";

/** The code of a strategy without what all codes have. */
export const shortCode = (code: string): string =>
  code === "none" ? "as it was" : code.replace(/\bcompression(?:Strategy)?: |, when: "worthIt"/g, "");

/** A cost relative to what was, as a change in percent. */
export function changeOf(share: number): string {
  const change = Math.round(100 * (share - 1));
  return `${change === 0 ? "" : change > 0 ? "+" : "−"}${Math.abs(change)} %`;
}

export const NAMES_MISSING =
  "Names missing: paths, identifiers and values that later requests use from far back, and that would not have been in the request.";
