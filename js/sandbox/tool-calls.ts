import type { ModelToolCall } from "../model/model.ts";
import type { InputsOf } from "../signature/infer.ts";
import type { AgentTool, Tools } from "./tools.ts";

/**
 * The arguments with which a tool is called, by the types that it declares: its signature, the Standard Schema of its
 * input, or the parameter of its function. Those of a tool that declares none are unknown: a program passes a list of
 * them, by position, to a tool without a signature.
 */
export type ArgumentsOf<T> = T extends readonly [infer S extends string, infer F]
  ? ArgumentsBySignature<S, F>
  : T extends { readonly signature: infer S extends string; readonly run: infer F }
    ? ArgumentsBySignature<S, F>
    : T extends { readonly run: infer F }
      ? FirstParameter<F>
      : T extends { readonly inputSchema: StandardSchemaOf<infer O> }
        ? O
        : T extends { readonly parameters: StandardSchemaOf<infer O> }
          ? O
          : T extends { readonly schema: StandardSchemaOf<infer O> }
            ? O
            : T extends { readonly execute?: infer F }
              ? FirstParameter<NonNullable<F>>
              : FirstParameter<T>;

/** A text that is known only at run time declares nothing. */
type ArgumentsBySignature<S extends string, F> = string extends S ? FirstParameter<F> : InputsOf<S>;

interface StandardSchemaOf<O> {
  readonly "~standard": { readonly types?: { readonly output: O } | undefined };
}

/** The first parameter of a function; unknown where it is `any` or missing. */
type FirstParameter<F> = F extends (first: infer A, ...rest: never[]) => unknown
  ? 0 extends 1 & A
    ? unknown
    : A
  : unknown;

/** True if an agent can be one of the tools. */
type HasAgent<T> = [T extends AgentTool ? true : never] extends [never] ? false : true;

/** The calls of the tools with known names. */
type NamedCall<T> = {
  [N in keyof T & string]: Omit<ModelToolCall, "name" | "args"> & { name: N; args: ArgumentsOf<T[N]> };
}[keyof T & string];

/**
 * A call of one of the tools; comparing its `name` narrows the type of its `args`. Where the names of the tools are not
 * known, or an agent is among them, whose own tools may ask too, `args` are unknown.
 */
export type ToolCallOf<T extends Tools> = string extends keyof T
  ? ModelToolCall
  : HasAgent<T[keyof T]> extends true
    ? ModelToolCall
    : [keyof T] extends [never]
      ? ModelToolCall
      : NamedCall<T>;
