import { CfnCondition, Fn, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { SignIn } from '../frame/sign-in.ts';

/**
 * What the page has to connect to while somebody signs in, beside its own origin, in the words of
 * a content security policy. Where the issuer is a parameter it may be empty, and then it is
 * nothing.
 */
export function signInSources(scope: Construct, signIn: SignIn | undefined): string {
  if (signIn === undefined) return '';
  const { issuer, tokenOrigin = '' } = signIn;
  if (!Token.isUnresolved(issuer)) {
    return [new URL(issuer).origin, tokenOrigin].filter((one) => one !== '').join(' ');
  }
  // Also of nothing there are three parts then.
  const parts = Fn.split('/', `${issuer}///`);
  const origin = `${Fn.select(0, parts)}//${Fn.select(2, parts)}`;
  const given = new CfnCondition(scope, 'HasSignIn', {
    expression: Fn.conditionNot(Fn.conditionEquals(issuer, '')),
  });
  return Fn.conditionIf(given.logicalId, `${origin} ${tokenOrigin}`, '').toString();
}
