// The shown types are a part of those of the package: a strategy that is written for them is one of the package.

import type * as turnfold from "turnfold";
import type * as chat from "./chat.ts";
import type * as turns from "./turns.ts";

/** Compiles only if one type can be given for the other. */
type Given<_Wanted, _Found extends _Wanted> = true;

export type Checks = [
  Given<turnfold.CustomStrategy, turns.CustomStrategy>,
  Given<turns.Turn, turnfold.Turn>,
  Given<turns.Options, Parameters<turnfold.CustomStrategy["toMessages"]>[2]>,
  Given<turnfold.CustomHistoryStrategy, chat.CustomHistoryStrategy>,
  Given<chat.ChatMessage, turnfold.ChatMessage>,
];
