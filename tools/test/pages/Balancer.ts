/** The balancers of Debian, with a configuration of a page. */
import { Effect } from "effect"
import { env, type Needed } from "../../debian/Programs.ts"
import { freePort } from "../../docs/ports.ts"
import * as Page from "./Page.ts"

export interface Balancer {
  readonly needed: Needed
  /** Whether it asks the processes for their health. */
  readonly asks: boolean
  /** The arguments with which it runs a configuration in a folder. */
  readonly run: (configuration: string, folder: string) => ReadonlyArray<string>
}

/** The settings besides the block of the page with which nginx runs as any user, in a folder. */
const nginx = (block: string, folder: string): string => {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) =>
    `${name}_temp_path ${folder}/${name};`
  )
  return `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr;
events {}
http { access_log off; ${paths.join(" ")}
${block}
}`
}

export const haproxy: Balancer = {
  needed: { program: "haproxy", package: "haproxy", asked: "-v" },
  asks: true,
  run: (block, folder) => ["-db", "-f", Page.save(folder, "haproxy.cfg", `${block}\n`)]
}

export const balancers: ReadonlyArray<Balancer> = [
  {
    needed: { program: "nginx", package: "nginx-light", asked: "-v" },
    asks: false,
    run: (block, folder) => ["-p", folder, "-c", Page.save(folder, "nginx.conf", nginx(block, folder))]
  },
  haproxy,
  {
    needed: { program: "caddy", package: "caddy", asked: "version" },
    asks: true,
    run: (block, folder) => [
      "run",
      "--adapter",
      "caddyfile",
      "--config",
      Page.save(folder, "Caddyfile", `{\n  admin off\n  auto_https off\n}\n${block}\n`)
    ]
  }
]

/** A block of a page that listens at a port of this machine, in front of processes at these ports of it. */
export const local = (block: string, port: number, nodes: ReadonlyArray<number>): string =>
  nodes
    .reduce((text, node, n) => text.replaceAll(`10.0.0.1${n + 1}:4000`, `127.0.0.1:${node}`), block)
    .replace(/listen 80;/, `listen 127.0.0.1:${port};`)
    .replace(/bind :80/, `bind 127.0.0.1:${port}`)
    .replace(/^:80 /, `http://127.0.0.1:${port} `)

/** Starts a balancer with a block of a page, at a port of its own, in front of processes at these ports of this machine. */
export const start = ({ needed, run }: Balancer, block: string, nodes: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const port = yield* Effect.promise(freePort)
    const folder = Page.folder(needed.program)
    const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
    const args = run(local(block, port, nodes), folder)
    const running = yield* Page.start(needed.program, args, { env: { PATH: env.PATH, ...home } })
    return { port, ended: Effect.flatMap(running.exit, () => Effect.die(new Error(running.printed()))) }
  })
