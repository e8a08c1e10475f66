public import Foundation
public import ImageCore
public import Logging

/// The parts of an image service. Replace any of them in tests.
public struct ImageServiceParts: Sendable {
    /// Parses and verifies paths.
    public var parser: CurrentParser
    /// Decide about sources by their URLs.
    public var originRules: OriginRules
    /// Loads originals.
    public var loader: any ImageLoaderProtocol
    /// The header fields of clients that are sent to origins.
    public var forwarding = ForwardedFields()
    /// Returns the number of origins that get no requests, because they could not be reached.
    public var unavailableOriginCount: @Sendable () -> Int = { 0 }
    /// The time for which such an origin gets none.
    public var originPause = Duration.seconds(5)
    /// Removes the stored original of a URL.
    public var removeOrigin: @Sendable (URL) async -> Void = { _ in }
    /// Decodes, processes and encodes.
    public var renderer: ImageRenderer
    /// Which formats results can have beside that of the URL.
    public var formats = FormatRules()
    /// Whether hints of clients are defaults of options.
    public var usesClientHints = false
    /// The image that `watermark` draws; nil if there is none.
    public var watermark: Watermark?
    /// The opacity of watermarks that URLs name, from 0 to 1.
    public var watermarkOpacity = 1.0
    /// Decides when renderings start.
    public var scheduler: any WorkScheduler
    /// Stores results.
    public var cache: ResultCache
    /// What was purged.
    public var purges: Purges
    /// The image in place of sources that can't be loaded.
    public var fallback: FallbackImage?
    /// A text that differs between servers whose settings make other results.
    public var settingsKey = ""
    /// Lets one of several servers render a result.
    public var lease: any RenderingLease = NoLease()
    /// Bounds the renderings in progress: download, decode and encoding.
    public var gate: AdmissionGate
    /// Lets origins take turns at the decoders. It refuses nothing, because the gate bounds what waits.
    public var decoders: AdmissionGate
    /// The bounds of the lifetime of results.
    public var bounds = LifetimeBounds()
    /// The longest time for a request.
    public var timeLimit = Duration.seconds(30)
    /// Measures time.
    public var clock: any Clock<Duration>
    /// Returns the current time.
    public var now: @Sendable () -> Date
    /// Makes the spans of requests and of their stages.
    public var tracer = ServerTracer(now: { Date() })
    /// Keeps the metrics.
    public var metrics = PrometheusMetrics()
    /// Receives what is left out of results.
    public var logger = Logger(label: "image-server") { _ in SwiftLogNoOpLogHandler() }
}
