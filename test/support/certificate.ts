import { generateKeyPairSync, sign } from 'node:crypto';

/** A self-signed certificate for a host, and its key, both as PEM. */
export type Certificate = { readonly certificate: string; readonly key: string };

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const SEQUENCE = 0x30;
const number = (value: number) => der(0x02, Buffer.from([value]));
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const time = (years: number) => {
  const at = new Date(Date.now() + years * 365 * 24 * 3600 * 1000).toISOString();
  return der(0x17, Buffer.from(`${at.slice(2, 19).replace(/[-:T]/g, '')}Z`));
};

/** Makes a new key and a certificate for it that is valid from a year ago for two years. */
export function selfSigned(host: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = der(SEQUENCE, oid('2a8648ce3d040302'));
  const name = der(SEQUENCE, der(0x31, der(SEQUENCE, oid('550403'), der(0x0c, Buffer.from(host)))));
  const alternativeName = der(SEQUENCE, oid('551d11'), der(0x04, der(SEQUENCE, der(0x82, Buffer.from(host)))));
  const content = der(
    SEQUENCE,
    der(0xa0, number(2)),
    number(1),
    ecdsaWithSha256,
    name,
    der(SEQUENCE, time(-1), time(1)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, alternativeName)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  const base64 = der(SEQUENCE, content, ecdsaWithSha256, signature).toString('base64');
  const lines = base64.match(/.{1,64}/g)?.join('\n');
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
