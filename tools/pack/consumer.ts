/**
 * Packs the packages, and installs them with others into an empty project, whose folder is printed:
 * `node tools/pack/consumer.ts NAME…`. The versions of the others are those of the root.
 */
import { fileURLToPath } from "node:url"
import { install, pack } from "./Published.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const packages = pack(root, "consumer")
console.log(install(root, packages, [...packages.map(({ name }) => name), ...process.argv.slice(2)]))
