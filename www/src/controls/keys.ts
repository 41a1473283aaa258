/** What runs or sends: it stands beside Enter. */
export const RUN_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? "Cmd" : "Ctrl";
