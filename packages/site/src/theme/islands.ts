/** The modules that pages mount, by the name of the tag that mounts them. */
import type { Component } from "vue"

export const islands: Readonly<Record<string, Component>> = {}
