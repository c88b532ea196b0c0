import { afterAll, describe, expect, test } from 'vitest';
import { removeOutputs, synthesized } from '../synthesized.ts';
import { deployErrors, rules } from './deploy-errors.ts';
import { ofType, type Resources } from './resources.ts';

/**
 * What the stack is judged by before AWS judges it. Each rule is broken once, in the stack itself,
 * so that a rule which finds nothing would be noticed.
 */
afterAll(removeOutputs);
const stages = ['production', 'trial'] as const;
const resources = synthesized().template.toJSON().Resources as Resources;

test.each(stages)('AWS would object to nothing in the stage %s', (stage) => {
  expect(deployErrors(synthesized(stage).template.toJSON().Resources)).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: what is broken here is of every shape
type Open = Record<string, any>;

/** The stack with one thing changed, as a rule sees it. */
function broken(change: (resources: Open) => void): string[] {
  const copy = structuredClone(resources) as Open;
  change(copy);
  return deployErrors(copy as Resources);
}

function only(type: string, id: RegExp | string = ''): string {
  return ofType(resources, type).find(([name]) => new RegExp(id).test(name))![0];
}

const without = (list: string[], start: string) => list.filter((name) => !name.startsWith(start));

const stage = only('AWS::ApiGatewayV2::Stage');
const token = only('AWS::SecretsManager::Secret');

describe('the three that the first deployment on AWS would have met', () => {
  test('1. the stage of the API does not wait for a route of its RouteSettings', () => {
    const found = broken((all) => {
      all[stage].DependsOn = without(all[stage].DependsOn, 'HttpGatewayPOSTv1jobsbatch');
    });
    expect(found).toEqual([
      `${stage} has settings of POST /v1/jobs/batch and does not depend on that route`,
    ]);
  });

  test('2. s3:GetObject without s3:ListBucket, so that what is gone is forbidden', () => {
    const found = broken((all) => {
      for (const [id] of ofType(resources, 'AWS::IAM::Policy')) {
        for (const statement of all[id].Properties.PolicyDocument.Statement) {
          if (statement.Action === 's3:ListBucket') statement.Action = 's3:GetBucketTagging';
        }
      }
    });
    expect(found.length).toBeGreaterThan(0);
    for (const it of found) expect(it).toMatch(/^\w+ may read objects of \w+ and not list it/);
  });

  test.each([
    ['ExcludeCharacters', /^\w+ has no ExcludeCharacters with !"#/],
    ['ExcludePunctuation', /^\w+ has no ExcludePunctuation: no token/],
  ])('3. GenerateSecretString without %s', (property, finding) => {
    const found = broken((all) => {
      delete all[token].Properties.GenerateSecretString[property];
    });
    expect(found).toEqual([expect.stringMatching(finding)]);
  });

  test('3. the secret by Ref, which is not an ARN everywhere', () => {
    const [fn] = ofType(resources, 'AWS::Lambda::Function').find(([, it]) =>
      JSON.stringify(it).includes(`{"Fn::GetAtt":["${token}","Id"]}`),
    )!;
    const found = broken((all) => {
      const { Variables } = all[fn].Properties.Environment;
      for (const [name, value] of Object.entries(Variables)) {
        if (JSON.stringify(value).includes(token)) Variables[name] = { Ref: token };
      }
    });
    expect(found).toEqual([`${fn} takes the secret ${token} by Ref; Fn::GetAtt of Id is its ARN`]);
  });
});

describe('what else a deployment is known to have failed on', () => {
  const mapping = only('AWS::Lambda::EventSourceMapping', /Intake/);

  test('settings of a route that is not there', () => {
    const found = broken((all) => {
      all[stage].Properties.RouteSettings['GET /nothing'] = {};
    });
    expect(found[0]).toContain('settings of GET /nothing');
  });

  test('a queue that hides a message for less than six times the function', () => {
    const found = broken((all) => {
      const queue = all[mapping].Properties.EventSourceArn['Fn::GetAtt'][0];
      all[queue].Properties.VisibilityTimeout = 59;
    });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/hides for 59 s, \w+ may take 10 s six times/);
  });
});

test.each(['lambda:InvokeFunctionUrl', 'lambda:InvokeFunction'])(
  'an address of a function that nobody may %s',
  (action) => {
    const address = only('AWS::Lambda::Url');
    const found = broken((all) => {
      const ofEverybody = ofType(resources, 'AWS::Lambda::Permission').filter(
        ([, { Properties }]) => Properties?.Principal === '*' && Properties.Action === action,
      );
      for (const [id] of ofEverybody) delete all[id];
    });
    expect(found).toEqual([expect.stringMatching(`^${address} .* nobody may ${action} on \\w+$`)]);
  },
);

describe('what has to be there first', () => {
  test.each([
    ['AWS::Lambda::Function', /Intake/],
    ['AWS::Scheduler::Schedule', /./],
    ['AWS::IoT::TopicRule', /Progress/],
  ])('a %s that does not wait for the policy of its role', (type, name) => {
    const id = only(type, name);
    const found = broken((all) => {
      all[id].DependsOn = [];
    });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${id} works under .* does not depend on its policy`));
  });

  test('resources that wait for each other', () => {
    const found = broken((all) => {
      all.Table.DependsOn = [only('AWS::IAM::Policy', /^Rollup/)];
    });
    expect(found).toEqual([expect.stringMatching(/wait for each other: Table → \w+ → Table$/)]);
  });
});

describe('what may be so large and no more', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => at);
  const long = (bytes: number) => ({ Statement: [{ Resource: 'x'.repeat(bytes) }] });

  test.each([
    ['a policy of IoT Core', 'AWS::IoT::Policy', 2_048],
    ['the inline policies of a role', 'AWS::IAM::Policy', 10_240],
  ])('%s', (_what, type, bytes) => {
    const found = broken((all) => {
      all[only(type)].Properties.PolicyDocument = long(bytes);
    });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/have|has \d+ bytes/);
  });

  test('a managed policy', () => {
    const found = broken((all) => {
      all.Wide = { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument: long(6_144) } };
    });
    expect(found).toEqual([expect.stringMatching(/^Wide has \d+ bytes, 6144 are allowed$/)]);
  });

  test('who may invoke a function, which is a statement for each route', () => {
    const permission = only('AWS::Lambda::Permission', /jobsread/);
    const found = broken((all) => {
      for (const at of many(30)) all[`Permission${at}`] = resources[permission];
    });
    expect(found).toEqual([expect.stringMatching(/invoked by \d+ bytes, 20480 fit$/)]);
  });

  test('the variables of a function', () => {
    const found = broken((all) => {
      const { Variables } = all[only('AWS::Lambda::Function', /enrol/)].Properties.Environment;
      Variables.ANCHOR = 'x'.repeat(4_096);
    });
    expect(found).toEqual([expect.stringMatching(/variables of \d+ bytes, 4096 are allowed$/)]);
  });

  test.each([
    ['AWS::Lambda::Function', 'FunctionName'],
    ['AWS::IAM::Role', 'RoleName'],
    ['AWS::CloudFront::Function', 'Name'],
  ])('a name of a %s', (type, property) => {
    const found = broken((all) => {
      const name = { 'Fn::Join': ['-', [{ Ref: 'AWS::Region' }, 'x'.repeat(60)]] };
      all[only(type)].Properties[property] = name;
    });
    expect(found).toEqual([expect.stringContaining('64 are allowed')]);
  });

  test('routes of an API, and resources of a stack', () => {
    const route = resources[only('AWS::ApiGatewayV2::Route')]!;
    const found = broken((all) => {
      for (const at of many(300)) all[`Route${at}`] = route;
    });
    expect(found).toHaveLength(2);
    expect(found[0]).toMatch(/^\d+ resources, 500 are allowed$/);
    expect(found[1]).toMatch(/has \d+ routes, 300 are allowed$/);
  });
});

test.each([
  ['AWS::CloudFront::Function', (it: Open) => Object.assign(it, { Name: 'pages' })],
  [
    'AWS::CloudFront::OriginAccessControl',
    (it: Open) => Object.assign(it.OriginAccessControlConfig, { Name: 'files' }),
  ],
])('a %s whose name a second region would want too', (type, rename) => {
  const found = broken((all) => rename(all[only(type)].Properties));
  expect(found).toEqual([expect.stringContaining('has a name without its region')]);
});

test('each rule is broken above', () => {
  expect(rules).toHaveLength(14);
});
