// Films of the view: WebM by the browser's own recorder, or all pictures in one ZIP file.
import { element } from "./ui";

/** Bytes of a ZIP file without compression (PNG is compressed already). */
export function zip(files: { name: string; bytes: Uint8Array }[]): Blob {
  const table = Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
  const check = (bytes: Uint8Array) => {
    let c = 0xffffffff;
    for (const byte of bytes) c = table[(c ^ byte) & 255] ^ (c >>> 8);
    return (c ^ 0xffffffff) >>> 0;
  };
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  let offset = 0;
  let length = 0;
  for (const { name, bytes } of files) {
    const label = new TextEncoder().encode(name);
    // Both headers have the same fields, from the version that is needed on.
    const header = (size: number, sign: number, from: number) => {
      const view = new DataView(new ArrayBuffer(size));
      view.setUint32(0, sign, true);
      view.setUint16(from, 20, true);
      view.setUint16(from + 8, 0x21, true); // 1 January 1980: the same run gives the same file
      view.setUint32(from + 10, check(bytes), true);
      view.setUint32(from + 14, bytes.length, true);
      view.setUint32(from + 18, bytes.length, true);
      view.setUint16(from + 22, label.length, true);
      return view;
    };
    const local = header(30, 0x04034b50, 4);
    const central = header(46, 0x02014b50, 6);
    central.setUint16(4, 20, true);
    central.setUint32(42, offset, true);
    parts.push(local.buffer, label, bytes);
    directory.push(central.buffer, label);
    offset += 30 + label.length + bytes.length;
    length += 46 + label.length;
  }
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, files.length, true);
  end.setUint16(10, files.length, true);
  end.setUint32(12, length, true);
  end.setUint32(16, offset, true);
  return new Blob([...parts, ...directory, end.buffer], { type: "application/zip" });
}

export function canRecord(): boolean {
  return typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm");
}

/** Records what `paint` draws on a canvas, picture by picture, at `rate` pictures per second. */
export async function recordWebm(
  count: number,
  rate: number,
  paint: (index: number, canvas: HTMLCanvasElement) => Promise<void>,
): Promise<Blob> {
  const canvas = element("canvas");
  await paint(0, canvas);
  const stream = canvas.captureStream(0);
  const track = stream.getVideoTracks()[0] as CanvasCaptureMediaStreamTrack;
  const recorder = new MediaRecorder(stream, { mimeType: "video/webm", videoBitsPerSecond: 12e6 });
  const parts: Blob[] = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  const ended = new Promise<void>((done) => (recorder.onstop = () => done()));
  recorder.start();
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    await paint(i, canvas);
    track.requestFrame();
    // The recorder takes times from the clock.
    await new Promise((done) => setTimeout(done, Math.max(0, 1000 / rate - (performance.now() - started))));
  }
  recorder.stop();
  track.stop();
  await ended;
  return new Blob(parts, { type: "video/webm" });
}
