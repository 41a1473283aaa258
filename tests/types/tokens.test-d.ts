import { calibrate, estimate, type TokenCounter, type UsageSample } from "turnfold/chat";
import type { cl100k } from "turnfold/tokens/cl100k";
import { type ExactCounter, o200k } from "turnfold/tokens/o200k";
import { expectTrue, type Same } from "./expect.ts";

expectTrue<Same<ReturnType<typeof o200k>, Promise<ExactCounter>>>();
expectTrue<Same<ReturnType<typeof cl100k>, Promise<ExactCounter>>>();
expectTrue<Same<Parameters<typeof o200k>, []>>();
expectTrue<Same<ReturnType<ExactCounter["tokenLengths"]>, number[]>>();

// Exact counters, the estimate and a host's counters can be calibrated.
const samples: readonly UsageSample[] = [{ counted: 9_120, reported: 10_214 }];
expectTrue<Same<ReturnType<typeof calibrate>, TokenCounter>>();
calibrate(estimate, samples).count("text");
calibrate(await o200k(), samples);
calibrate({ name: "mine", method: "exact", count: (text) => text.length }, []);

// @ts-expect-error a sample has both numbers
calibrate(estimate, [{ counted: 1 }]);
// @ts-expect-error a counter has a method
calibrate({ name: "mine", count: () => 1 }, samples);
// @ts-expect-error texts are counted, not messages
estimate.count({ role: "user", content: "text" });
