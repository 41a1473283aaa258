import { isPlainObject, type PlainObject, textAt } from "../formats/data.ts";
import { assistant, bagsOf, call, type Recorded, reasoning, result, system, text, textOf, user } from "./recorded.ts";

/** True for a trajectory in the Agent Trajectory Interchange Format. */
export function isAtif(data: unknown): data is PlainObject {
  return (
    isPlainObject(data) &&
    Array.isArray(data.steps) &&
    (/^ATIF/.test(String(data.schema_version)) || data.steps.every((step) => isPlainObject(step) && "source" in step))
  );
}

/** Converts the steps of a trajectory: messages, reasoning, calls and observations. */
export function ofAtif({ steps }: PlainObject): Recorded[] {
  return bagsOf(steps, ["steps"]).flatMap((step, index) => {
    const path = ["steps", index];
    const { source, message, timestamp, reasoning_content: thought, observation } = step;
    const said = textOf(message);
    if (source === "user") return [user(said, timestamp)];
    if (source === "system" && observation === undefined) return [system(said, timestamp)];
    const calls = bagsOf(step.tool_calls ?? [], [...path, "tool_calls"]).map((one, place) => ({
      id: textAt(one, "tool_call_id", [...path, "tool_calls", place]),
      name: textAt(one, "function_name", [...path, "tool_calls", place]),
      input: one.arguments ?? {},
    }));
    const spoken = [
      ...(typeof thought === "string" && thought !== "" ? [reasoning(thought)] : []),
      ...(said === "" ? [] : [text(said)]),
      ...calls.map(({ id, name, input }) => call(id, name, input)),
    ];
    const results = isPlainObject(observation)
      ? bagsOf(observation.results ?? [], [...path, "observation", "results"])
      : [];
    return [
      ...(source === "system" ? [system(said, timestamp)] : assistant(spoken, timestamp)),
      ...results.map(({ source_call_id: id, content }) => {
        const made = calls.find((one) => one.id === id);
        // An observation without a call is a message of the environment.
        return made === undefined
          ? user(textOf(content), timestamp)
          : result(made.id, made.name, textOf(content), timestamp);
      }),
    ];
  });
}
