/**
 * A program without a certificate, as AWS's own guide writes it: the official device SDK, MQTT over
 * WebSocket, credentials of IAM. It knows nothing of this repository. Arguments: host, port, CA,
 * region, client id; the credentials are in the environment.
 */
import { auth, io, iot, mqtt, mqtt5 } from 'aws-iot-device-sdk-v2';

const [host, port, ca, region, clientId] = process.argv.slice(2);
const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
const topic = 'notes/open';
const bootstrap = new io.ClientBootstrap();
const credentials = auth.AwsCredentialsProvider.newStatic(
  AWS_ACCESS_KEY_ID,
  AWS_SECRET_ACCESS_KEY,
  AWS_SESSION_TOKEN,
);

async function overMqtt3() {
  const signing = { region, credentials_provider: credentials };
  const config = iot.AwsIotMqttConnectionConfigBuilder.new_with_websockets(signing)
    .with_certificate_authority_from_path(undefined, ca)
    .with_endpoint(host)
    .with_port(Number(port))
    .with_client_id(clientId)
    .with_clean_session(true)
    .build();
  const connection = new mqtt.MqttClient(bootstrap).new_connection(config);
  await connection.connect();
  const received = new Promise((resolve, reject) => {
    const listen = (_topic, payload) => resolve(Buffer.from(payload).toString());
    connection
      .subscribe(topic, mqtt.QoS.AtLeastOnce, listen)
      .then(() => connection.publish(topic, 'by MQTT 3', mqtt.QoS.AtLeastOnce))
      .catch(reject);
  });
  const text = await received;
  await connection.disconnect();
  return text;
}

async function overMqtt5() {
  const builder = iot.AwsIotMqtt5ClientConfigBuilder.newWebsocketMqttBuilderWithSigv4Auth(host, {
    credentialsProvider: credentials,
    region,
  });
  builder.withPort(Number(port));
  builder.withCertificateAuthorityFromPath(undefined, ca);
  builder.withConnectProperties({ clientId, keepAliveIntervalSeconds: 60 });
  const client = new mqtt5.Mqtt5Client(builder.build());
  const text = await new Promise((resolve, reject) => {
    client.on('messageReceived', ({ message }) => resolve(Buffer.from(message.payload).toString()));
    client.on('connectionFailure', ({ error }) => reject(error));
    client.on('connectionSuccess', async () => {
      const qos = mqtt5.QoS.AtLeastOnce;
      await client.subscribe({ subscriptions: [{ topicFilter: topic, qos }] });
      await client.publish({ topicName: topic, qos, payload: 'by MQTT 5' });
    });
    client.start();
  });
  client.stop();
  client.close();
  return text;
}

const answer = async (work) => {
  try {
    return await work();
  } catch (error) {
    return String(error);
  }
};
console.log(JSON.stringify([await answer(overMqtt3), await answer(overMqtt5)]));
process.exit(0);
