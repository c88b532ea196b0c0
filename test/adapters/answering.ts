import { mockClient } from 'aws-sdk-client-mock';

/**
 * A client of the SDK that reaches nothing and answers what it is given: each answer once, the
 * last one for ever. It keeps the inputs that it was sent.
 */
export function answering<C extends Parameters<typeof mockClient>[0]>(
  client: C,
  ...answers: readonly object[]
) {
  const inputs: object[] = [];
  mockClient(client)
    .onAnyCommand()
    .callsFake(async (input: object) => {
      const answer = answers[Math.min(inputs.length, answers.length - 1)];
      inputs.push(input);
      if (answer instanceof Error) throw answer;
      return { $metadata: {}, ...answer };
    });
  return { client, inputs };
}
