import type { SavedState } from "../saved.ts";
import { emails } from "./emails.ts";
import { expenses } from "./expenses.ts";
import { logs } from "./logs.ts";
import { shopping } from "./shopping.ts";

export interface Example {
  /** Stands in links: never change it. */
  readonly id: string;
  readonly title: string;
  readonly state: SavedState;
}

/** The one that the page opens with. */
export const firstExample: Example = shopping;

export const examples: readonly Example[] = [shopping, emails, logs, expenses];
