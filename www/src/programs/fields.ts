import type { Field } from "turnfold";
import { fieldId } from "../page/problem.ts";
import type { TurnList } from "./store.ts";

/** The id of a control of the tab. */
export const programField = (name: string): string => fieldId(`program-${name}`);

export const inputField = (name: string): string => programField(`input-${name}`);

/** The id of a value of a turn, or of the turn as a whole. */
export const turnField = (list: TurnList, id: number, name?: string): string =>
  programField(name === undefined ? `${list}-${id}` : `${list}-${id}-${name}`);

export const isHistory = ({ type }: Field): boolean => type === "History";

/** Whether a field is in messages of turns: fields whose names begin with `_` and the history are not. */
export const isShown = ({ name, type }: Field): boolean => type !== "History" && !name.startsWith("_");
