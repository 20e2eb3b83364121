import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answers, freePorts, killed } from './engine-process.ts';

/** ClickHouse servers that know each other as the shards of the cluster `clinics`. */
export interface ClickhouseShards {
  /** Their HTTP ports. */
  readonly ports: readonly number[];
  /** Runs a statement on one server as its administrator; rows for it may follow as bytes. */
  run(shard: number, sql: string, body?: Uint8Array): Promise<string>;
  stop(): Promise<void>;
}

/** The user that commands log in as: it may only read the database `clinic`. */
export const SHARD_READER = { name: 'suffice_reader', password: 'click secret' };

/** Starts servers from Debian's package, and waits until all answer. Each logs its queries. */
export async function startShards(count = 2): Promise<ClickhouseShards> {
  const folder = mkdtempSync(join(tmpdir(), 'suffice-shards-'));
  const ports = await freePorts(2 * count);
  const [http, tcp] = [ports.slice(0, count), ports.slice(count)];
  const servers = http.map((port, k) => {
    const home = join(folder, String(k));
    mkdirSync(home);
    const config = join(home, 'config.xml');
    writeFileSync(config, configOf(home, port, tcp[k]!, tcp));
    return spawn('clickhouse-server', ['--config-file', config], { stdio: 'ignore' });
  });
  const run = async (shard: number, sql: string, body?: Uint8Array) => {
    const url = `http://127.0.0.1:${http[shard]}/`;
    const answer = await fetch(
      body === undefined ? url : `${url}?query=${encodeURIComponent(sql)}`,
      { method: 'POST', body: body === undefined ? sql : new Uint8Array(body) },
    );
    const text = await answer.text();
    if (!answer.ok) throw new Error(text.slice(0, 2000));
    return text;
  };
  for (const [k, server] of servers.entries()) await answers(() => run(k, 'select 1'), server);
  return {
    ports: http,
    run,
    async stop() {
      await Promise.all(servers.map(killed));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configOf(home: string, http: number, tcp: number, all: readonly number[]): string {
  const shards = all.map(
    (port) =>
      `<shard><replica><host>127.0.0.1</host><port>${port}</port><user>suffice_shard</user><password>shard secret</password></replica></shard>`,
  );
  const user = (name: string, password: string, profile: string, databases: string) =>
    `<${name}><password>${password}</password><networks><ip>127.0.0.1</ip></networks><profile>${profile}</profile><quota>default</quota>${databases}</${name}>`;
  const own = '<allow_databases><database>clinic</database></allow_databases>';
  return `<yandex>
<logger><level>error</level><log>${home}/log</log><errorlog>${home}/errors</errorlog></logger>
<http_port>${http}</http_port><tcp_port>${tcp}</tcp_port><listen_host>127.0.0.1</listen_host>
<path>${home}/data/</path><tmp_path>${home}/tmp/</tmp_path><mark_cache_size>5368709</mark_cache_size>
<remote_servers><clinics>${shards.join('')}</clinics></remote_servers>
<query_log><database>system</database><table>query_log</table><flush_interval_milliseconds>100</flush_interval_milliseconds></query_log>
<users>${user('default', '', 'default', '')}${user(SHARD_READER.name, SHARD_READER.password, 'reading', own)}${user('suffice_shard', 'shard secret', 'shard', own)}</users>
<profiles><default><log_queries>1</log_queries></default><reading><readonly>1</readonly><log_queries>1</log_queries></reading><shard><readonly>2</readonly></shard></profiles>
<quotas><default></default></quotas>
<users_config>config.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
</yandex>`;
}
