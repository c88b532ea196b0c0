import { Component, type ComponentChildren } from 'preact';

/**
 * A component that draws again only when one of its (primitive) properties changed: rows and cells
 * by the thousand.
 */
export function pure<P extends object>(draw: (props: P) => ComponentChildren) {
  return class Pure extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      for (const key in next) if (next[key] !== this.props[key]) return true;
      return false;
    }

    override render(props: P): ComponentChildren {
      return draw(props);
    }
  };
}
