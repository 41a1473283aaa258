import type { TurnfoldError } from "../errors.ts";
import { isPlain } from "./describe.ts";

/** Why a value can't be copied: a function or symbol, an instance of a class, a cycle, too many levels. */
export type CopyProblem = "type" | "class" | "cycle" | "depth";

/** What a copy may contain, and the errors for everything else. */
export interface CopyRules {
  /** Levels of objects and arrays, with the copied value itself. */
  readonly maxLevels: number;
  /** Converts a bigint in the copy; without it, bigints are kept. */
  readonly convertBigInt?: ((value: bigint) => unknown) | undefined;
  /** Converts a text or a key in the copy; without it, texts are kept. */
  readonly convertText?: ((text: string) => string) | undefined;
  /** True for views of bytes that may be copied. */
  readonly isBytes: (value: object) => boolean;
  /** Whether objects and arrays within the copied value are frozen. */
  readonly freezes: boolean;
  /** Makes the error; `path` is the path from the copied value to `value`. */
  readonly refuse: (problem: CopyProblem, value: unknown, path: readonly (string | number)[]) => TurnfoldError;
}

/** Copies plain objects without getters, arrays, bytes, URLs and dates deeply. */
export class DeepCopier {
  /** The keys from the copied value to the value being read; kept when a getter throws. */
  readonly path: (string | number)[] = [];
  private readonly rules: CopyRules;
  private readonly ancestors: object[] = [];

  constructor(rules: CopyRules) {
    this.rules = rules;
  }

  copy(value: unknown): unknown {
    if (typeof value !== "object" || value === null) {
      if (typeof value === "function" || typeof value === "symbol") throw this.rules.refuse("type", value, this.path);
      const { convertBigInt } = this.rules;
      return typeof value === "bigint" && convertBigInt !== undefined ? convertBigInt(value) : value;
    }
    const isList = Array.isArray(value);
    if (!isList && !isPlain(value)) return this.instance(value);
    if (this.ancestors.includes(value)) throw this.rules.refuse("cycle", value, this.path);
    if (this.ancestors.length >= this.rules.maxLevels) throw this.rules.refuse("depth", value, this.path);
    this.ancestors.push(value);
    const copied = isList ? this.items(value) : this.members(value);
    this.ancestors.pop();
    return this.rules.freezes && this.ancestors.length > 0 ? Object.freeze(copied) : copied;
  }

  private items(list: readonly unknown[]): unknown[] {
    const copied: unknown[] = [];
    for (let index = 0; index < list.length; index++) copied.push(this.member(list, index));
    return copied;
  }

  private members(object: object): Record<string, unknown> {
    const copied: Record<string, unknown> = {};
    const { convertText } = this.rules;
    for (const key of Object.keys(object)) setMember(copied, convertText?.(key) ?? key, this.member(object, key));
    return copied;
  }

  private member(holder: object, key: string | number): unknown {
    this.path.push(key);
    const value = (holder as Record<string | number, unknown>)[key];
    const { convertText } = this.rules;
    const copied = typeof value !== "string" ? this.copy(value) : (convertText?.(value) ?? value);
    this.path.pop();
    return copied;
  }

  private instance(value: object): unknown {
    // `slice` of Node's Buffer shares the bytes.
    if (this.rules.isBytes(value)) return Uint8Array.prototype.slice.call(value);
    switch (Object.prototype.toString.call(value)) {
      case "[object ArrayBuffer]":
        return (value as ArrayBuffer).slice(0);
      case "[object Date]":
        return new Date((value as Date).getTime());
      case "[object URL]":
        return new URL((value as URL).href);
    }
    throw this.rules.refuse("class", value, this.path);
  }
}

/** Sets an own member of any name: an assignment to `__proto__` would set the prototype. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
