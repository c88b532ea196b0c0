import { CfnParameter, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { scopes } from '../core/contract/scopes.ts';
import { amazonRootCa1 } from './edge/trust-anchor.ts';
import { Edgewise, type EdgewiseProps, type OwnName, type SignIn } from './edgewise.ts';
import { requiredStageName } from './frame/stage-name.ts';

/**
 * The stack of this repository: one Edgewise, and as parameters what may differ between those who
 * deploy it. It uses the construct as anybody else would, under an id that leaves no trace in the
 * names of resources.
 */
export type EdgewiseStackProps = StackProps & {
  readonly stage: string;
  /** An SNS topic of yours that alarms tell. */
  readonly alarmTopicArn?: string;
  readonly functionCode?: EdgewiseProps['functionCode'];
};

export class EdgewiseStack extends Stack {
  constructor(scope: Construct, id: string, props: EdgewiseStackProps) {
    const { stage, alarmTopicArn, functionCode, ...own } = props;
    super(scope, id, { stackName: requiredStageName(stage).stackName, ...own });
    const trustAnchor = new CfnParameter(this, 'EdgeTrustAnchor', {
      description: 'PEM of the certificate authority that edges trust for the MQTT endpoint',
      default: amazonRootCa1,
    });
    const dashboardOrigin = new CfnParameter(this, 'DashboardOrigin', {
      description: 'Origin of a dashboard on another host that may call the API; empty for none',
      default: '',
    });
    const mqttEndpoint = new CfnParameter(this, 'EdgeMqttEndpoint', {
      description: 'HOST or HOST:PORT where edges connect; empty for where IoT Core says',
      allowedPattern: '^$|^[A-Za-z0-9.-]+(:[0-9]{1,5})?$',
      default: '',
    });
    const loopbackReceivers = new CfnParameter(this, 'LoopbackReceivers', {
      description: 'Whether webhooks may name the machine itself: on one machine they may',
      allowedValues: ['refused', 'allowed'],
      default: 'refused',
    });
    const signIn = this.signIn();
    new Edgewise(this, 'Default', {
      stage,
      ...(alarmTopicArn === undefined ? {} : { alarmsTo: { topicArn: alarmTopicArn } }),
      ...(functionCode === undefined ? {} : { functionCode }),
      trustAnchor: trustAnchor.valueAsString,
      mqttEndpoint: mqttEndpoint.valueAsString,
      dashboardOrigin: dashboardOrigin.valueAsString,
      loopbackReceivers: loopbackReceivers.valueAsString,
      signIn,
      apiName: this.ownName('Api', 'of this region'),
      dashboardName: this.ownName('Dashboard', 'of us-east-1'),
    });
  }

  private ownName(of: string, where: string): OwnName {
    const name = new CfnParameter(this, `${of}Domain`, {
      description: 'A name of your own, such as edgewise.example.com; empty for none',
      allowedPattern: '^$|^([a-z0-9-]{1,63}[.])+[a-z]{2,63}$',
      default: '',
    });
    const certificate = new CfnParameter(this, `${of}Certificate`, {
      description: `ARN of a certificate for the name of your own, ${where}`,
      allowedPattern: '^$|^arn:aws[a-z-]*:acm:[a-z0-9-]+:[0-9]{12}:certificate/[A-Za-z0-9-]+$',
      default: '',
    });
    return { name: name.valueAsString, certificateArn: certificate.valueAsString };
  }

  /** People sign in where an issuer is named; the patterns keep what is no such thing out. */
  private signIn(): SignIn {
    const parameter = (id: string, description: string, allowedPattern: string, value = '') =>
      new CfnParameter(this, id, { description, allowedPattern, default: value }).valueAsString;
    const scope = `(${scopes.join('|')})`;
    const group = `[^=;,"]{1,128}=${scope}(,${scope}){0,5}`;
    return {
      issuer: parameter(
        'SignInIssuer',
        'Issuer of OpenID Connect where people sign in, as it spells itself; empty for none',
        String.raw`^$|^(https://|http://(localhost|127\.0\.0\.1)[:/])[A-Za-z0-9._~:/%-]{1,256}$`,
      ),
      clientId: parameter(
        'SignInClient',
        'The client that Edgewise is for the issuer: the audience of its tokens',
        '^[A-Za-z0-9._~:/@-]{0,256}$',
      ),
      groups: parameter(
        'SignInGroups',
        'What members of groups may do, such as operators=jobs:read,jobs:write;admins=fleet:admin',
        `^$|^${group}(;${group}){0,31}$`,
      ),
      groupsClaim: parameter(
        'SignInGroupsClaim',
        'The claim of tokens that has the groups of a person',
        '^[A-Za-z0-9._:/-]{1,128}$',
        'groups',
      ),
      tokenOrigin: parameter(
        'SignInTokenOrigin',
        'Origin of the token endpoint of the issuer, where that is not its own',
        '^$|^https://[A-Za-z0-9.-]+(:[0-9]{1,5})?$',
      ),
    };
  }
}
