declare module "themes" {
  const all: Record<string, { scheme: string; colours: Record<string, string> }>;
  export default all;
}
