import type { StepUsage } from "turnfold";
import { counted, formatted } from "../../page/numbers.ts";
import { time } from "../../plots/spans.ts";

type Given = Partial<Pick<StepUsage, "inputTokens" | "outputTokens" | "cacheReadTokens" | "durationMs">>;

/** The tokens and the time that something took, as far as they are known. */
export const usageFacts = ({ inputTokens, outputTokens, cacheReadTokens, durationMs }: Given): readonly string[] => [
  ...(inputTokens === undefined
    ? []
    : [
        `${counted(inputTokens, "token")} in${cacheReadTokens ? `, ${formatted(cacheReadTokens)} of them cached` : ""}`,
      ]),
  ...(outputTokens === undefined ? [] : [`${counted(outputTokens, "token")} out`]),
  ...(durationMs === undefined ? [] : [time(durationMs)]),
];
