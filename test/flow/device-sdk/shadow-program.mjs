/**
 * A device program as AWS's own guide writes it: the official device SDK, a certificate, a named
 * shadow. It knows nothing of this repository. Arguments: host, port, CA, certificate, key, client
 * id.
 */
import { io, iot, iotshadow, mqtt } from 'aws-iot-device-sdk-v2';

const [host, port, ca, certificate, key, clientId] = process.argv.slice(2);
const thingName = 'meter-sdk';
const shadowName = 'settings';

const config = iot.AwsIotMqttConnectionConfigBuilder.new_mtls_builder_from_path(certificate, key)
  .with_certificate_authority_from_path(undefined, ca)
  .with_endpoint(host)
  .with_port(Number(port))
  .with_client_id(clientId)
  .with_clean_session(true)
  .build();
const connection = new mqtt.MqttClient(new io.ClientBootstrap()).new_connection(config);
await connection.connect();
const shadow = new iotshadow.IotShadowClient(connection);

const delta = new Promise((resolve, reject) => {
  const request = { thingName, shadowName };
  shadow
    .subscribeToNamedShadowDeltaUpdatedEvents(request, mqtt.QoS.AtLeastOnce, (error, event) => {
      if (error) reject(error);
      else resolve(event);
    })
    .then(() =>
      shadow.publishUpdateNamedShadow(
        { ...request, state: { desired: { colour: 'green' }, reported: { colour: 'red' } } },
        mqtt.QoS.AtLeastOnce,
      ),
    )
    .catch(reject);
});
const event = await delta;
await connection.disconnect();
console.log(JSON.stringify({ state: event.state, version: event.version }));
process.exit(0);
