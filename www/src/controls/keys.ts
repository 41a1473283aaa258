/** The modifier key of the shortcut that runs or sends. */
export const RUN_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? "Cmd" : "Ctrl";
