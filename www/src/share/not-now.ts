/** The reason why the current state can't be shared, as a message for the user. */
export class NotNow extends Error {}
