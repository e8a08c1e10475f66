import ImageCodecAVIF
import ImageCore

let size = PixelSize(width: 16, height: 16)
let bitmap = Bitmap(size: size, pixels: [UInt8](repeating: 255, count: size.area * 4), isOpaque: true)
let file = try AVIFEncoder().encode(bitmap, options: EncodingOptions())
let header = try AVIFDecoder().open(file, limits: .default).header
guard header.size == size else { fatalError("the decoded size is \(header.size)") }
print("encoded and decoded an image of \(header.size) in \(file.count) bytes")
