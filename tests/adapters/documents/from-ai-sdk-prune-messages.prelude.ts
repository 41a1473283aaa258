// Names that the programs of the page on pruneMessages use without declaring them: a model that looks for parcels one by one.

import { languageModel, type Request } from "../language-model.ts";

/** The number of parcels. */
const PARCELS = 8;
const resultsIn = ({ prompt }: Request) => prompt.filter(({ role }) => role === "tool").length;

/** Asks for the parcel after the highest one that it can see, and answers when it sees the last one. */
export const { model, requests } = languageModel((request) => {
  const seen = [...JSON.stringify(request.prompt).matchAll(/P-10(\d)/g)].map(([, number]) => Number(number));
  const next = Math.max(-1, ...seen) + 1;
  if (next === PARCELS) return "The last parcel is in Leipzig.";
  return {
    reasoning: `I look for parcel ${next}.`,
    calls: [[`c${next}-${resultsIn(request)}`, "find", { parcel: next }]],
  };
});

/** The function of the tool. */
export const findParcel = (parcel: number): string =>
  `Parcel P-10${parcel}. ${"It left the depot in Leipzig. ".repeat(20)}`;
