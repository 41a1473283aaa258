// Counts the work of JavaScript in Node in function calls, which, unlike time, are the same on every machine.

import { Session } from "node:inspector";

/** Runs `work`; returns its result and the number of function calls, without those of Node. */
export function countCalls(work) {
  const session = new Session();
  session.connect();
  const post = (method, parameters) => {
    let given;
    session.post(method, parameters, (error, result) => {
      if (error !== null) throw error;
      given = result;
    });
    return given;
  };
  post("Profiler.enable");
  post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  post("Profiler.takePreciseCoverage");
  const result = work();
  const scripts = post("Profiler.takePreciseCoverage").result.filter(({ url }) => !url.startsWith("node:"));
  session.disconnect();
  const functions = scripts.flatMap((script) => script.functions);
  return { result, calls: functions.reduce((sum, { ranges }) => sum + ranges[0].count, 0) };
}
