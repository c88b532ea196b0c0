import type { ComponentChildren } from 'preact';
import type { SubmitFields } from '../../model/submit-fields.ts';

/** The fields of the submit form. What is left empty is the server's default, and says so. */
export type SubmitFormProps = {
  readonly fields: SubmitFields;
  readonly wrong: { readonly field: string; readonly sentence: string } | null;
  readonly onChange: (fields: SubmitFields) => void;
};

type ChoiceKey = 'sizeBy' | 'run' | 'policy' | 'keepOutput';
type TextKey = Exclude<keyof SubmitFields, ChoiceKey>;

export function SubmitForm(props: SubmitFormProps) {
  return (
    <div class="groups">
      <HowMuch {...props} />
      <WhatRuns {...props} />
      <Group title="Where">
        <Text {...props} name="pool" words="Pool" hint="default" />
        <Text {...props} name="requires" words="Edge labels it needs" hint="site=north, gpu=a100" />
        <Choice
          {...props}
          name="policy"
          words="Placement"
          options={{ spread: 'spread evenly', pack: 'on few edges', fastest: 'on the fastest' }}
        />
      </Group>
      <Group title="How">
        <Text {...props} name="name" words="Name" hint="optional" />
        <Text {...props} name="queue" words="Queue" hint="default" />
        <Text {...props} name="priority" words="Priority" hint="50" numeric />
        <Text {...props} name="attempts" words="Attempts a chunk" hint="3" numeric />
        <Choice
          {...props}
          name="keepOutput"
          words="Keep output"
          options={{ failed: 'of failed chunks', all: 'of all chunks', none: 'of none' }}
        />
        <Text {...props} name="labels" words="Labels" hint="team=a" />
      </Group>
    </div>
  );
}

function HowMuch(props: SubmitFormProps) {
  const sizes = { power: 'for the whole job', chunkPower: 'for one chunk' };
  return (
    <Group title="How much">
      <Choice {...props} name="sizeBy" words="Measured" options={sizes} />
      <Text {...props} name="power" words="Power" hint="watts" numeric />
      <Text {...props} name="chunks" words="Chunks" hint="as needed" numeric />
    </Group>
  );
}

function WhatRuns(props: SubmitFormProps) {
  const { fields, wrong, onChange } = props;
  const kinds = { simulate: 'simulated load', process: 'a process', container: 'a container' };
  return (
    <Group title="What runs">
      <Choice {...props} name="run" words="Kind" options={kinds} />
      {fields.run === 'simulate' && (
        <Text {...props} name="seconds" words="Seconds a chunk" hint="by its power" numeric />
      )}
      {fields.run === 'container' && <Text {...props} name="image" words="Image" hint="name:tag" />}
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
  );
}

type TextProps = SubmitFormProps & {
  readonly name: TextKey;
  readonly words: string;
  readonly hint: string;
  readonly numeric?: boolean;
};

function Text({ fields, wrong, onChange, name, words, hint, numeric }: TextProps) {
  return (
    <label class="field">
      {words}
      <input
        name={name}
        value={fields[name]}
        placeholder={hint}
        inputMode={numeric ? 'numeric' : 'text'}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={wrong?.field === name}
        onInput={(event) => onChange({ ...fields, [name]: event.currentTarget.value })}
      />
    </label>
  );
}

type ChoiceProps<K extends ChoiceKey> = SubmitFormProps & {
  readonly name: K;
  readonly words: string;
  readonly options: Readonly<Record<SubmitFields[K], string>>;
};

function Choice<K extends ChoiceKey>({ fields, onChange, name, words, options }: ChoiceProps<K>) {
  return (
    <label class="field">
      {words}
      <select
        name={name}
        value={fields[name]}
        onChange={(event) => onChange({ ...fields, [name]: event.currentTarget.value })}
      >
        {Object.entries<string>(options).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
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
