import { CfnOutput } from 'aws-cdk-lib';
import { CfnApiMapping, CfnDomainName, type CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';
import { pinLogicalId } from '../frame/logical-id.ts';
import { conditionOf, type OwnName } from '../frame/own-name.ts';

/** The API under a name of one's own. The address that AWS gave it stays. */
export class ApiName extends Construct {
  constructor(
    scope: Construct,
    id: string,
    props: { readonly apiId: string; readonly stage: CfnStage; readonly own: OwnName },
  ) {
    super(scope, id);
    const { own, apiId, stage } = props;
    const given = conditionOf(this, 'Given', own);
    const domain = new CfnDomainName(this, 'Domain', {
      domainName: own.name,
      domainNameConfigurations: [
        {
          certificateArn: own.certificateArn,
          endpointType: 'REGIONAL',
          securityPolicy: 'TLS_1_2',
        },
      ],
    });
    const mapping = new CfnApiMapping(this, 'Mapping', {
      apiId,
      domainName: domain.ref,
      stage: stage.ref,
    });
    const target = new CfnOutput(this, 'Target', {
      description: 'The DNS record of the name of your own leads here',
      value: domain.attrRegionalDomainName,
    });
    pinLogicalId(target, 'ApiDomainTarget', 'people look for this output');
    if (given === null) return;
    domain.cfnOptions.condition = given;
    mapping.cfnOptions.condition = given;
    target.condition = given;
  }
}
