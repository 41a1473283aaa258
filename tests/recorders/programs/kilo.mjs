// Kilo CLI, which is built on opencode.

import { openCode, sessions } from "./opencode.mjs";

const run = (...turns) => openCode({ command: "kilo", folder: "kilo" }, ...turns);

export default {
  name: "Kilo CLI",
  // The newest version whose builds for Linux are published.
  npm: "@kilocode/cli@7.7.7",
  recordings: /project\/exported-.*\.json$/,
  sessions: sessions(run),
};
