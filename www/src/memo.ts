import { Component, type ComponentChild, type FunctionComponent, h } from "preact";

/** A component that renders again only when a prop is another object or a signal that it reads has changed. */
export function memo<P extends object>(Inner: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const now = this.props as Readonly<Record<string, unknown>>;
      const names = Object.keys(next);
      return (
        names.length !== Object.keys(now).length ||
        names.some((name) => (next as Readonly<Record<string, unknown>>)[name] !== now[name])
      );
    }
    override render(): ComponentChild {
      return h(Inner, this.props as P);
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}
