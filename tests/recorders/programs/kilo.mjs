// Kilo CLI, which is built on opencode.

import { openCode, sessionsOf } from "./opencode.mjs";

export default {
  name: "Kilo CLI",
  // The newest version whose builds for Linux are published.
  npm: "@kilocode/cli@7.7.7",
  recordings: /project\/exported-.*\.json$/,
  sessions: sessionsOf(openCode({ command: "kilo", folder: "kilo" })),
};
