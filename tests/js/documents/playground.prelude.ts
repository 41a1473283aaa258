// What the programs of the guide on the playground need: a window, and a frame in it that answers as the page does.

interface Heard {
  readonly origin: string;
  readonly source: unknown;
  readonly data: {
    readonly type: string;
    readonly tab?: string;
    readonly message?: string;
    readonly state: { readonly mission?: string };
  };
}

const ORIGIN = "https://playground.example";

const listeners: ((event: Heard) => void)[] = [];

const contentWindow = {
  postMessage({ type, state }: { type: string; state: Heard["data"]["state"] }, origin: string): void {
    if (origin === ORIGIN && type === "turnfold:load") say({ type: "turnfold:state", tab: "turns", state });
  },
};

function say(data: Heard["data"]): void {
  for (const listener of listeners) listener({ origin: ORIGIN, source: contentWindow, data });
}

export const frame = { contentWindow };

export const window = {
  addEventListener(_: "message", listener: (event: Heard) => void): void {
    listeners.push(listener);
    say({ type: "turnfold:ready", state: {} });
  },
};
