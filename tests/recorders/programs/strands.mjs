// Strands Agents: the messages of an agent. It needs other versions of packages than the other frameworks.

import { python, scripts } from "../scripts/files.mjs";
import { script } from "../scripts/orders.mjs";

export default {
  name: "Strands Agents",
  pip: ["strands-agents[anthropic]"],
  sessions: {
    "a session": {
      files: scripts("frameworks.py"),
      script,
      // Files of one message each, as FileSessionManager writes them, are no recording.
      recordings: /messages\.json$/,
      partial: ["time"],
      run: python("frameworks.py", ({ anthropic }) => ["strands", anthropic]),
    },
  },
};
