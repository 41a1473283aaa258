import type { RequestParameters } from "../chat/parameters.ts";
import { clearToolResults, digest, lastNMessages } from "../chat/strategies.ts";
import type { Compression } from "../turns/options.ts";

/** Results are written shorter when they arrive, and nothing is left out. */
export const ARRIVAL_CODE = 'arrival: "lossless"';

/** The strategies of an audit of chats: the options, by the code that makes them. */
export const CHAT_CODES: Record<string, RequestParameters> = {
  "compressionStrategy: digest()": { compressionStrategy: digest() },
  'compressionStrategy: digest(), arrival: "lossless"': { compressionStrategy: digest(), arrival: "lossless" },
  "compressionStrategy: digest({ keep: 4 })": { compressionStrategy: digest({ keep: 4 }) },
  'compressionStrategy: clearToolResults({ keep: 3, names: 80 }), when: "worthIt"': {
    compressionStrategy: clearToolResults({ keep: 3, names: 80 }),
    when: "worthIt",
  },
  'compressionStrategy: lastNMessages(4), when: "worthIt"': {
    compressionStrategy: lastNMessages(4),
    when: "worthIt",
  },
  [ARRIVAL_CODE]: { arrival: "lossless" },
};

/** The strategies of an audit of steps. */
export const STEP_CODES: Record<string, Compression> = {
  'compression: "journal"': "journal",
  "compression: true": "single-user-coalesced",
  'compression: "rolling-window"': "rolling-window",
  'compression: "per-turn-summary"': "per-turn-summary",
};
