/** Why something can't be shared as it stands, in words for whoever asked. */
export class NotNow extends Error {}
