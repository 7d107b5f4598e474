/** The types of layers.mjs, for tests. */
export interface SourceModule {
  readonly source: string;
  readonly imports: readonly string[];
}

export function cruiseSources(root: string): { modules: SourceModule[]; violations: string[] };
export function drawLayers(modules: readonly SourceModule[]): string;
export function placeDrawing(page: string, drawing: string): string;
