import type { ComponentChildren } from 'preact';

/** What may be wider or longer than its place: a named region that the keyboard can scroll. */
export type ScrollBoxProps = {
  readonly label: string;
  readonly children: ComponentChildren;
};

export function ScrollBox({ label, children }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll
    <section class="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

export function ScrollText({ label, children }: ScrollBoxProps) {
  return (
    <ScrollBox label={label}>
      <pre>{children}</pre>
    </ScrollBox>
  );
}
