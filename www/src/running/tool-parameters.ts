// Converts descriptions of a tool's parameters between lines `path: description` and the objects of the package.

/** The descriptions by their paths. A line without a colon is a path with an empty description. */
export function parametersOf(lines: string): Record<string, string> {
  const described = lines.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    described.map((line) => {
      const colon = line.indexOf(":");
      return colon < 0 ? [line.trim(), ""] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}

/** The member `fieldDescriptions` of a tool; omitted without descriptions. */
export function fieldDescriptionsOf(lines: string): { fieldDescriptions?: Record<string, string> } {
  return lines.trim() === "" ? {} : { fieldDescriptions: parametersOf(lines) };
}

export const linesOf = (described: Readonly<Record<string, string>> = {}): string =>
  Object.entries(described)
    .map(([path, text]) => `${path}: ${text.replaceAll(/\s*[\r\n]\s*/g, " ")}`)
    .join("\n");
