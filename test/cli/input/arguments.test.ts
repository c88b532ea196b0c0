import { describe, expect, test } from 'vitest';
import { defineCommand } from '../../../cli/command.ts';
import { exitCode } from '../../../cli/exit-code.ts';
import { Failure } from '../../../cli/failure.ts';
import { parseArguments } from '../../../cli/input/arguments.ts';

const command = defineCommand({
  name: 'thing do',
  about: 'test',
  args: [{ name: 'THING', noun: 'text', optional: true }],
  rest: 'PROGRAM',
  flags: {
    power: { kind: 'number', value: 'W', min: 1, max: 100, about: '' },
    ratio: { kind: 'number', value: 'R', fraction: true, about: '' },
    label: { kind: 'list', short: 'l', value: 'K=V', about: '' },
    mode: { kind: 'text', value: 'M', choices: ['fast', 'slow'], about: '' },
    wait: { kind: 'mode', choices: ['done', 'placed'], about: '' },
    yes: { kind: 'switch', short: 'y', about: '' },
  },
  examples: [],
  run: async () => exitCode.ok,
});

const parse = (...argv: string[]) => parseArguments(command, argv);

describe('parseArguments', () => {
  test('reads every kind of flag, in any place', () => {
    const parsed = parse('--power=5', 'x', '-l', 'a=1', '--label', 'b=2', '-y', '--ratio', '0.5');
    expect(parsed.args).toEqual(['x']);
    expect(parsed.flags).toMatchObject({ power: 5, label: ['a=1', 'b=2'], yes: true, ratio: 0.5 });
    expect(parsed.flags.mode).toBeUndefined();
    expect([...parsed.given].sort()).toEqual(['label', 'power', 'ratio', 'yes']);
  });

  test('gives everything after the dashes to the program, flags too', () => {
    const parsed = parse('x', '--', 'sh', '-c', '--power', '--');
    expect(parsed.rest).toEqual(['sh', '-c', '--power', '--']);
    expect(parse('x').rest).toBeNull();
    expect(parse('--').rest).toEqual([]);
  });

  test('a mode needs no value and takes only its own', () => {
    expect(parse('--wait').flags.wait).toBe('');
    expect(parse('--wait=placed').flags.wait).toBe('placed');
    expect(parse().flags.wait).toBeUndefined();
    expect(() => parse('--wait=soon')).toThrow('--wait cannot be "soon"');
    // A word after it is an argument, not its value.
    expect(parse('--wait', 'placed').args).toEqual(['placed']);
  });

  test.each([
    [['--powr', '5'], 'no flag --powr'],
    [['-z'], 'no flag -z'],
    [['--power'], '--power needs a value'],
    [['--power', '1.5'], 'whole number'],
    [['--power', 'NaN'], 'whole number'],
    [['--power', '1e400'], 'whole number'],
    [['--power', '0x10'], 'whole number'],
    [['--power', ''], 'The value of --power is empty'],
    [['--label', ''], 'The value of --label is empty'],
    [[''], 'THING is empty'],
    [['--power', '-3'], 'between 1 and 100'],
    [['--power', '101'], 'between 1 and 100'],
    [['--power', '1', '--power', '2'], 'given twice'],
    [['--mode', 'fsat'], '--mode cannot be "fsat"'],
    [['--yes=no'], '--yes takes no value'],
    [['a', 'b'], 'one argument too many'],
  ])('refuses %j', (argv, sentence) => {
    let failure: unknown;
    try {
      parse(...argv);
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ code: exitCode.usage });
    expect((failure as Failure).message).toContain(sentence);
  });

  test('help asks for nothing else', () => {
    const strict = defineCommand({ ...command, args: [{ name: 'X', noun: 'text' }] });
    expect(parseArguments(strict, ['--help']).flags.help).toBe(true);
    expect(() => parseArguments(strict, [])).toThrow('needs X');
  });
});
