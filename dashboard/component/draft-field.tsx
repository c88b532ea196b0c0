import { useState } from 'preact/hooks';

/**
 * A search field whose text counts once it is entered. What somebody is typing stays in it whatever
 * is drawn meanwhile: a list that is read again would otherwise put back what was entered before.
 */
export type DraftFieldProps = {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly className?: string;
  readonly onEnter: (value: string) => void;
};

export function DraftField({ label, placeholder, value, className, onEnter }: DraftFieldProps) {
  const [draft, setDraft] = useState<string | null>(null);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      {...(className !== undefined && { class: className })}
      value={draft ?? value}
      onInput={(event) => setDraft(event.currentTarget.value)}
      onChange={(event) => {
        setDraft(null);
        onEnter(event.currentTarget.value.trim());
      }}
    />
  );
}
