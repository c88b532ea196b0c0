import type { ComponentChildren } from 'preact';
import type { SubmitFields } from './submit-fields.ts';

/** The fields of the submit form. What is left empty is the server's default, and says so. */
export type SubmitFormProps = {
  readonly fields: SubmitFields;
  readonly wrong: { readonly field: string; readonly sentence: string } | null;
  readonly onChange: (fields: SubmitFields) => void;
};

type TextKey = Exclude<keyof SubmitFields, 'sizeBy' | 'run' | 'policy' | 'keepOutput'>;

export function SubmitForm({ fields, wrong, onChange }: SubmitFormProps) {
  const text = (key: TextKey, words: string, hint: string, numeric = false) => (
    <label class="field">
      {words}
      <input
        name={key}
        value={fields[key]}
        placeholder={hint}
        inputMode={numeric ? 'numeric' : 'text'}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={wrong?.field === key}
        onInput={(event) => onChange({ ...fields, [key]: event.currentTarget.value })}
      />
    </label>
  );
  const choice = <K extends 'sizeBy' | 'run' | 'policy' | 'keepOutput'>(
    key: K,
    words: string,
    options: readonly (readonly [SubmitFields[K], string])[],
  ) => (
    <label class="field">
      {words}
      <select
        name={key}
        value={fields[key]}
        onChange={(event) => onChange({ ...fields, [key]: event.currentTarget.value })}
      >
        {options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="groups">
      <Group title="How much">
        {choice('sizeBy', 'Measured', [
          ['power', 'for the whole job'],
          ['chunkPower', 'for one chunk'],
        ])}
        {text('power', 'Power', 'watts', true)}
        {text('chunks', 'Chunks', 'as needed', true)}
      </Group>
      <Group title="What runs">
        {choice('run', 'Kind', [
          ['simulate', 'simulated load'],
          ['process', 'a process'],
          ['container', 'a container'],
        ])}
        {fields.run === 'simulate' && text('seconds', 'Seconds a chunk', 'by its power', true)}
        {fields.run === 'container' && text('image', 'Image', 'name:tag')}
        {fields.run !== 'simulate' && (
          <label class="field wide">
            Shell command
            <textarea
              class="code"
              name="command"
              rows={3}
              spellcheck={false}
              placeholder="echo chunk $EDGEWISE_CHUNK of $EDGEWISE_CHUNKS"
              value={fields.command}
              aria-invalid={wrong?.field === 'command'}
              onInput={(event) => onChange({ ...fields, command: event.currentTarget.value })}
            />
          </label>
        )}
      </Group>
      <Group title="Where">
        {text('pool', 'Pool', 'default')}
        {text('requires', 'Edge labels it needs', 'site=north, gpu=a100')}
        {choice('policy', 'Placement', [
          ['spread', 'spread evenly'],
          ['pack', 'on few edges'],
          ['fastest', 'on the fastest'],
        ])}
      </Group>
      <Group title="How">
        {text('name', 'Name', 'optional')}
        {text('queue', 'Queue', 'default')}
        {text('priority', 'Priority', '50', true)}
        {text('attempts', 'Attempts a chunk', '3', true)}
        {choice('keepOutput', 'Keep output', [
          ['failed', 'of failed chunks'],
          ['all', 'of all chunks'],
          ['none', 'of none'],
        ])}
        {text('labels', 'Labels', 'team=a')}
      </Group>
    </div>
  );
}

function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <fieldset class="group">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}
