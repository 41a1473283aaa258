// Exact counts by both encodings; every host must print what Node prints.

import { cl100k } from "turnfold/tokens/cl100k";
import { o200k } from "turnfold/tokens/o200k";

export async function text() {
  const counters = await Promise.all([o200k(), cl100k()]);
  return counters
    .map(({ name, count }) => `${name} ${count("Find Ada's open orders — 模型按回合工作 😀\ud83d")}`)
    .join(", ");
}
