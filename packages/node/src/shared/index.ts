/**
 * Modules that the packages of Parley share of the wires of Node.js. Programs have no reason to import them, and they may
 * change in any release.
 *
 * @since 0.1.0
 */
export * as NodeExchange from "./NodeExchange.ts"
