import ImageCore
import ImageMemoryCaching

let cache = MemoryImageCache(byteLimit: 1 << 20)
let size = PixelSize(width: 16, height: 16)
let bitmap = Bitmap(size: size, pixels: [UInt8](repeating: 255, count: size.area * 4), isOpaque: true)
let key = ImageCacheKey(identifier: "https://example.com/a.png")
cache.insert(DecodedImage(bitmap: bitmap, header: ImageHeader(format: .png, storedSize: size)), for: key)
guard cache.image(for: key)?.bitmap == bitmap else { fatalError("the cache lost its image") }
print("found an image of \(size)")
